// libqrencode, for QR codes (ISO/IEC 18004).
#pragma once
#include <qrencode.h>
