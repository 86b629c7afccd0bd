export { JournalFilterError } from './filter.ts';
export { JOURNAL_PATH, type JournalOptions, SqliteJournal } from './journal.ts';
export { DEFAULT_RETENTION, type Limit, type Retention } from './retention.ts';
export { instantiateSqlite, type SqliteModule } from './sqlite.ts';
