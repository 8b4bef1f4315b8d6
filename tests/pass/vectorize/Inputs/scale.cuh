// A function of a plan that is only compiled.
