"""Tables printed in the papers and one of invented people: CSV files, each with its TOML file."""
