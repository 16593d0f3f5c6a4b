"""How far judges, and people, agree; what few labels of people say of all answers."""
