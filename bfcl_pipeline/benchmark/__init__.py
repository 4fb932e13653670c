"""What the benchmark is, as data: definition of V4, staged release, errata, config, records, tables."""
