ByJ08m~eyAO+yzeŠÉãÔjmOjP>T>Uo
mN?az/KM¹ï¡ìnD¡‚