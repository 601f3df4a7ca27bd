"""How well the right memory is found: public sets of questions, several systems, one table each."""
