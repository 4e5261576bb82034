ByJ8m~eyAO+yzeT>Uo
mN?az/