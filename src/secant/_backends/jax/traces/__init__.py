"""Functions traced once: their programs, kept, and every derivative of these."""
