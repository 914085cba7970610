import { expect, test } from 'vitest'
import { findImageFileProblem } from './image-field.tsx'

/** `data:image/png;base64,` has 22 characters, which leaves 65,514 characters, or 16,378 groups of three bytes. */
const MAX_PNG_BYTES = 16_378 * 3

test('accepts an image of the maximum size and rejects one more byte', () => {
  expect(findImageFileProblem({ type: 'image/png', size: MAX_PNG_BYTES })).toBeNull()
  expect(findImageFileProblem({ type: 'image/png', size: MAX_PNG_BYTES + 1 })).toContain('larger than 48 kB')
})

test('rejects unsupported types', () => {
  expect(findImageFileProblem({ type: 'image/tiff', size: 10 })).toContain('Unsupported file type')
  expect(findImageFileProblem({ type: '', size: 10 })).toContain('Unsupported file type')
})
