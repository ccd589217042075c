"""Widgets: forms and pictures over verikit; they compute nothing themselves."""
