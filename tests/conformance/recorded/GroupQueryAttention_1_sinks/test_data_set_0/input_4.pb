BsinksJ=°z¿à´u;0€
¼²z;¿