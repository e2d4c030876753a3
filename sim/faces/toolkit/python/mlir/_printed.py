"""Base of types and attributes: they are their text."""


class Printed:
    kind = None  # Type or Attribute: a type is never equal to an attribute

    def __init__(self, text):
        self.text = text

    @classmethod
    def isinstance(cls, other):
        return isinstance(other, cls)

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"{type(self).__name__}({self.text})"

    def __eq__(self, other):
        return isinstance(other, self.kind) and self.text == other.text

    def __hash__(self):
        return hash(self.text)
