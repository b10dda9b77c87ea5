import Freshet
print("freshet")
