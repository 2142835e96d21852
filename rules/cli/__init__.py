"""The command line of rule authors: check, try, odds, diff, new, schema. `manage.py rules` is a thin shell over it."""
