

def main():
    wrong = replay()
    for text in STAGE.log:
        print(text)
    if wrong != "":
        print("FAIL: " + wrong)
        return 1
    print("PASS: the property holds")
    return 0


if __name__ == "__main__":
    import sys

    sys.exit(main())
