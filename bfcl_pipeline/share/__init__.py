"""What leaves the machine: archives, signatures, the gallery, exports, official forms."""
