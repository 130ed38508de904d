"""Pictures of networks (SVG, PNG, PDF), plots, and what notebooks show.

The path of a drawing: `graph` (nodes and edges) -> `fold` (fewer of them) -> `node_order` (few crossings) -> `layout`
(positions, with `predicate_cards`) -> `svg` (text, and a file). `rule_set` draws one class, `views` is what people ask
for, `plots` has the figures of matplotlib, `appearance` what all of them share.
"""
