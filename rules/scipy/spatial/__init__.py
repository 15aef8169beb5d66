"""Rules for `scipy.spatial`: of its distances."""
