"""Pictures of networks (SVG, PNG, PDF) and plots.

The path of a drawing: `graph` (nodes and edges) -> `fold` (fewer of them) -> `node_order` (few crossings) -> `layout`
(places, with `predicate_cards` and `spacing`) -> `svg` (text) -> `picture_file` (a file). `rule_set` draws one class,
`explanation_html` shows an explanation, `plots` has the figures of matplotlib.
"""
