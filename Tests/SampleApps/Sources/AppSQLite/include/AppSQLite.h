const void *_Nonnull app_sqlite(void);
