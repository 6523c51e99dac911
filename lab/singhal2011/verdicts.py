def verdicts(results):
    return []
