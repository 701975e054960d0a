import sys
try: sys.exit('bye')
except SystemExit as e: print(e.code, e.args)
raise SystemExit
