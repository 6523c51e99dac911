def main(check): raise NotImplementedError
