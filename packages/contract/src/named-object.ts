import { z } from 'zod'

/** Description of PATCH bodies that have `clearable` fields. */
export const PATCH_DESCRIPTION = 'Omitted fields do not change; null resets a field to its default.'

/** Creates an object schema that becomes a component of the OpenAPI document. */
export function defineObject<Shape extends z.ZodRawShape>(id: string, shape: Shape) {
  return z.object(shape).meta({ id })
}

/** Creates a named object schema with a description. */
export function defineDescribedObject<Shape extends z.ZodRawShape>(id: string, description: string, shape: Shape) {
  return z.object(shape).meta({ id, description })
}
