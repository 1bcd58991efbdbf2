/** AlwaysAdmit, AlwaysDeny: what they say. Source: specification, "Plugin behaviors". */

import type { AdmissionPlugin } from '../admission.ts'
import { refusal } from '../request.ts'

export const alwaysAdmit: AdmissionPlugin = { name: 'AlwaysAdmit', validate: () => undefined }

export const alwaysDeny: AdmissionPlugin = {
  name: 'AlwaysDeny',
  validate: (request) => refusal(request, 'admission control is denying all modifications'),
}
