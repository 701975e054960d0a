e = ValueError('with notes'); e.add_note('first'); e.add_note('second')
raise e
