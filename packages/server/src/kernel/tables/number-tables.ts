// biome-ignore lint/complexity/noBannedTypes: filled in the same change
export type NumberTables = {}
