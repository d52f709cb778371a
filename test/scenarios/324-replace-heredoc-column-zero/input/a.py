def f():
	x = """
raw
"""
	y()
