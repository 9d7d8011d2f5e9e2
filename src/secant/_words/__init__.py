"""What the engine finds as codes with fields, and every sentence that is made of them.

Loading any part loads all codes, so that a report that was saved or sent can be said anywhere.
"""

from . import causes, comparisons, laws, matrices, places, remarks, slopes

__all__ = ["causes", "comparisons", "laws", "matrices", "places", "remarks", "slopes"]
