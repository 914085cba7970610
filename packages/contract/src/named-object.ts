import { z } from 'zod'

/** Description of PATCH bodies with `clearable` fields. */
export const PATCH_DESCRIPTION = 'Omitted fields keep their value; null resets a field to its default.'

/** An object schema that becomes a component of the OpenAPI document. */
export function namedObject<Shape extends z.ZodRawShape>(id: string, shape: Shape) {
  return z.object(shape).meta({ id })
}

/** A named object schema with a description. */
export function describedObject<Shape extends z.ZodRawShape>(id: string, description: string, shape: Shape) {
  return z.object(shape).meta({ id, description })
}
