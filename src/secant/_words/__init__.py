"""What the engine finds as codes with fields, and every sentence that is made of them."""
