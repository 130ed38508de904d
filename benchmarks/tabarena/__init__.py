"""An entry for TabArena: our scorecards as models of AutoGluon. See README.md."""
