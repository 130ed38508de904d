"""The commands, one module each: a function with the options and their help, and the work that it does.

A new command is a module here with a function of the same name, and a line in `conceptrules.cli.app`. Imports that
take time (scikit-learn, the report) wait until the command runs.
"""
