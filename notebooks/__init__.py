"""The notebooks that ship with verikit."""
