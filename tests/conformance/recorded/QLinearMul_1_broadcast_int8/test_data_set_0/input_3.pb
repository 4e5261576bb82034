BbJ
Ic