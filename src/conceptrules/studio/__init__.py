"""The studio: an expert opens the rules in a browser, changes them, sees who is affected, and signs.

`session` has what can be done, as functions from session to session, without a browser; `model_file` keeps one writer
at a time; `server` lets nobody else in; `pages` shows it all.
"""
