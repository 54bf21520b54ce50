"""robots.txt (RFC 9309): bytes in, an answer for each URL out. Pure; when to fetch it is the robots gate's affair."""

from gossamer.robots.parser import RobotsRules, parse_robots

__all__ = ["RobotsRules", "parse_robots"]
