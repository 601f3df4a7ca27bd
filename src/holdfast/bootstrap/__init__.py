"""How a code base is written: read off its files and proposed as patterns.

Commands: distil --code
"""
