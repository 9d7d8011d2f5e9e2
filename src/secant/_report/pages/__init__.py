"""Reports to look at: pages that need no network, and pictures for notebooks.

What a page shows is made here as plain data; jinja2 writes it as text, which it escapes, and plotly
draws it. Both are optional and imported when a page is made.
"""
