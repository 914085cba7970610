/** How tools and MCP servers show stored secrets and refer to named ones. */

/** Answered in place of a stored secret; written back, it keeps the value. */
export const STORED_VALUE = '__stored__'

/** Begins the name of a template that stands for a secret. */
export const SECRET_PREFIX = 'secrets.'

/** Names of the secrets that a text refers to, each once. */
export function findSecretNames(text: string): string[] {
  const found = text.matchAll(/\{\{[^\S\n]*secrets\.([^{}|\s]+)[^\S\n]*(?=\||\}\})/g)
  return [...new Set([...found].map(([, name = '']) => name))]
}
