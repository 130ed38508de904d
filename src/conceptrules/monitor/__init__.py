"""What happens after the fit: whether rules, answers and columns still are what they were in training."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptrules._lazy import lazy_names

if TYPE_CHECKING:
    from conceptrules.monitor.figures import Figure
    from conceptrules.monitor.monitoring import FiredTrigger, Monitoring, RuleDrift, Shift
    from conceptrules.monitor.warehouse import monitoring_sql

__all__ = ["Figure", "FiredTrigger", "Monitoring", "RuleDrift", "Shift", "monitoring_sql"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Figure": "figures",
        "FiredTrigger": "monitoring",
        "Monitoring": "monitoring",
        "RuleDrift": "monitoring",
        "Shift": "monitoring",
        "monitoring_sql": "warehouse",
    },
)
