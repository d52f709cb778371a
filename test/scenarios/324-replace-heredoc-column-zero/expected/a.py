def f():
	x = """
raw
more
"""
	z()
