"""Small tools that know nothing of crawling: clocks, sizes, the event bus, tasks."""
