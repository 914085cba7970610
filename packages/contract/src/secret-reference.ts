/** How tools and MCP servers show stored secrets and refer to named ones. */

/** Returned instead of a stored secret. Sending it back keeps the secret. */
export const STORED_VALUE = '__stored__'

/** Prefix of template variables that refer to a named secret. */
export const SECRET_PREFIX = 'secrets.'

/** Names of the secrets in a text, without duplicates. */
export function findSecretNames(text: string): string[] {
  const found = text.matchAll(/\{\{[^\S\n]*secrets\.([^{}|\s]+)[^\S\n]*(?=\||\}\})/g)
  return [...new Set([...found].map(([, name = '']) => name))]
}
