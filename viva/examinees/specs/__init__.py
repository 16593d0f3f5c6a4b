"""From words or a panel file to the spec of an examinee."""
