from plain import case_and_sizes, f32, report


def steps(c_re, c_im):
    re, im = c_re, c_im
    for count in range(256):
        if re * re + im * im > 4:
            return count
        re, im = f32(re * re - im * im + c_re), f32(2 * re * im + c_im)
    return 256


_, (n,) = case_and_sizes()
step = f32(2.5 / n)
report([[steps(f32(j * step - 1.875), f32(i * step - 1.25)) for j in range(n)] for i in range(n)])
