"""Seeds: where a crawl begins, read from texts and files."""

from gossamer.seeds.parse import InvalidSeed, Seed, parse_seed, read_seeds

__all__ = ["InvalidSeed", "Seed", "parse_seed", "read_seeds"]
