import { expect, test } from 'vitest'
import { imageFileProblem } from './image-field.tsx'

/** `data:image/png;base64,` has 22 characters: 65,514 are left, which is 16,378 groups of three bytes. */
const MAX_PNG_BYTES = 16_378 * 3

test('accepts an image of the maximum size and rejects one more byte', () => {
  expect(imageFileProblem({ type: 'image/png', size: MAX_PNG_BYTES })).toBeNull()
  expect(imageFileProblem({ type: 'image/png', size: MAX_PNG_BYTES + 1 })).toContain('larger than 48 kB')
})

test('rejects unsupported types', () => {
  expect(imageFileProblem({ type: 'image/tiff', size: 10 })).toContain('Unsupported file type')
  expect(imageFileProblem({ type: '', size: 10 })).toContain('Unsupported file type')
})
