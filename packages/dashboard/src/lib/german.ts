import type { Messages } from '@lingui/core'

/** Merges the `*.de.json` files next to the screens. */
const catalogs = import.meta.glob<Messages>('../**/*.de.json', { eager: true, import: 'default' })

export const messages: Messages = Object.assign({}, ...Object.values(catalogs))
