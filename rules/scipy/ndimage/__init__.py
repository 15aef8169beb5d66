"""Rules for the filters of `scipy.ndimage` that are linear in the image: in each mode of what is beyond its edges."""

from rules.scipy.ndimage import correlations as correlations
from rules.scipy.ndimage import refused as refused
from rules.scipy.ndimage import smoothing as smoothing
