"""Rules for `scipy.signal`: convolutions, linear filters and windows."""

from rules.scipy.signal import convolutions as convolutions
from rules.scipy.signal import filters as filters
from rules.scipy.signal import forward_backward as forward_backward
from rules.scipy.signal import recursive as recursive
from rules.scipy.signal import refused as refused
from rules.scipy.signal import windows as windows
