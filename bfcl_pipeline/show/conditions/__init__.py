"""One model under several conditions: what each changes, beyond what two equal ones differ in."""
