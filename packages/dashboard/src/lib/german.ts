import type { Messages } from '@lingui/core'

/** Every `*.de.json` beside the screens, as one catalogue. */
const parts = import.meta.glob<Messages>('../**/*.de.json', { eager: true, import: 'default' })

export const messages: Messages = Object.assign({}, ...Object.values(parts))
