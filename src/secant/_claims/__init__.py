"""What autodiff, or the author, says: two verbs, pull(v) = Jᵀ v and push(u) = J u."""
